use super::*;
use crate::{Stb88, Stb88Options};
use timewarp::{Limits, Unwatched, sequential};

/// One corps a side.
const GOOD: Tables<'_> = [
    "index,object,type\n0,\"G0,0\",grid\n1,blue_corps1,corps\n2,blue_div1/1,div\n\
     3,red_corps1,corps\n4,red_div1/1,div\n5,red_div2/1,div\n6,distrib1,distributor\n",
    "receiver,time,selector,text\nred_corps1,-2000,99,go!\nblue_corps1,-2000,99,go!\n",
    "corps,side,number,x_km,y_km,formation\n\
     blue_corps1,Blue,1,90.0,53.0,1\nred_corps1,Red,1,300.0,53.0,2\n",
    "side,formation,sector,divisions,width_km\nBlue,1,2,1,32\nRed,2,0,1,32\nRed,2,2,1,32\n",
    "class,side,slot,system_id,operational,authorised,strength\n\
     combat,Blue,0,0,285,300,1.0\ncombat,Blue,1,4,315,350,1.0\ncombat,Blue,2,6,285,300,1.0\n\
     combat,Blue,3,8,322,350,1.0\ncombat,Blue,4,10,375,400,1.05\nsupport,Blue,0,3,3200,3500,0.0\n\
     support,Blue,1,13,1600,1700,0.0\ncombat,Red,0,1,350,375,1.0\ncombat,Red,1,5,310,325,1.1\n\
     combat,Red,2,7,250,275,1.03\ncombat,Red,3,9,365,400,1.0\ncombat,Red,4,11,375,400,1.02\n\
     support,Red,0,12,1750,1800,0.0\nsupport,Red,1,2,1200,1500,0.0\n",
    "shooter_id,target_id,coefficient\n0,1,0.000115\n1,0,0.0005\n",
    "name,value\ncutoff_time,50000\nboard_width_x,400\nboard_height_y,106\n\
     grid_columns_x,1\ngrid_rows_y,1\ncombat_cycle,60\n",
];

/// The error when `from` is replaced in one table.
fn refused(table: usize, from: &str, to: &str) -> String {
    assert!(GOOD[table].contains(from), "{from}");
    let changed = GOOD[table].replacen(from, to, 1);
    let mut tables = GOOD;
    tables[table] = &changed;
    Scenario::read(tables).unwrap_err().to_string()
}

#[test]
fn a_small_scenario_runs_to_its_end() {
    let scenario = Scenario::read(GOOD).unwrap();
    assert_eq!((scenario.objects().len(), scenario.divisions()), (7, 3));
    let model = Stb88::new(scenario, &Stb88Options { watch: true });
    let outcome = sequential::run(&model, &Limits::default(), &mut Unwatched).unwrap();
    assert!(outcome.total().events > 100 && outcome.final_time > 50_000.0, "{:?}", outcome.total());
}

#[test]
fn errors_name_file_line_and_column() {
    for (table, from, to, words) in [
        (
            0,
            "index,",
            "number,",
            "stb88_objects.csv, line 1: the column index is missing; the heading must name",
        ),
        (
            0,
            "\n2,",
            "\n7,",
            "stb88_objects.csv, line 4: index is \"7\"; objects count from 0 without a gap: give 2",
        ),
        (0, "red_div2/1,div", "red_div2/1,corps", "stb88_objects.csv, line 7: type is \"corps\""),
        (0, "red_div2/1", "red_tank2/1", "stb88_objects.csv, line 7: object is \"red_tank2/1\""),
        (0, "red_div2/1", "red_div1/1", "the objects: red_div1/1 appears twice"),
        (
            0,
            "red_div2/1",
            "red_div3/1",
            "the divisions of red_corps1: the object red_div2/1 does not exist",
        ),
        (0, "6,distrib1,distributor\n", "", "the object distrib1 does not exist"),
        (1, "99", "98", "stb88_initial_messages.csv, line 2: selector is \"98\""),
        (1, "-2000", "5", "stb88_initial_messages.csv, line 2: time is \"5\""),
        (1, "go!", "run", "line 2: text is \"run\""),
        (1, "red_corps1", "red_div1/1", "line 2: receiver is"),
        (
            1,
            "red_corps1",
            "red_corps2",
            "the initial messages: the object red_corps2 does not exist",
        ),
        (2, "90.0", "far", "stb88_corps.csv, line 2: x_km is \"far\"; give km"),
        (2, "90.0", "-1", "x_km is \"-1\""),
        (2, "90.0", "NaN", "x_km is \"NaN\""),
        (2, "90.0", "380", "begins at 435, 53, where there is no cell"),
        (
            2,
            "Blue,1",
            "Red,1",
            "stb88_corps.csv, line 2: corps is \"blue_corps1\"; number and side",
        ),
        (2, "53.0,1", "53.0,7", "stb88_corps.csv, line 2: formation is \"7\"; it has 0 divisions"),
        (2, "blue_corps1,Blue,1,90.0,53.0,1\n", "", "the object blue_corps1 has no row"),
        (3, "32", "30", "stb88_formations.csv, line 2: width_km is \"30\""),
        (3, "Blue,1,2,1", "Blue,1,4,1", "line 2: sector is \"4\""),
        (3, "Blue,1,2,1", "Blue,1,2,11", "line 2: divisions is \"11\""),
        (3, "Blue", "Green", "line 2: side is \"Green\"; give Red or Blue"),
        (4, "285", "0", "stb88_systems.csv, line 2: operational is \"0\""),
        (4, "300", "200", "stb88_systems.csv, line 2: authorised is \"200\""),
        (4, "Blue,1,4", "Blue,0,4", "line 3: slot is \"0\"; another row has the same slot"),
        (4, "support,Red,1,2,1200,1500,0.0\n", "", "the row for support, Red, slot 1 is missing"),
        (5, "0.000115", "-1", "stb88_attrition.csv, line 2: coefficient is \"-1\""),
        (5, "0,1,", "0,16,", "line 2: target_id is \"16\""),
        (6, "combat_cycle,60", "combat_cycle,61", "line 7: value is \"61\"; give 60: combat_cycle"),
        (6, "board_height_y,106", "board_height_y,107", "line 4: value is \"107\"; give 106 times"),
        (6, "cutoff_time,50000\n", "", "the constant cutoff_time is missing"),
        (6, "name,value\n", "name,value\nx\n", "line 2: it cannot be read as a table"),
    ] {
        let error = refused(table, from, to);
        assert!(error.contains(words), "{error}\nis not\n{words}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let mut empty = GOOD;
    empty[5] = "shooter_id,target_id,coefficient\n";
    assert!(
        Scenario::read(empty)
            .unwrap_err()
            .to_string()
            .contains("stb88_attrition.csv, line 2: the table has no rows")
    );
}

#[test]
fn a_cell_has_room_for_twenty() {
    let mut objects = GOOD[0].trim_end().to_string();
    let divisions = (3..=10).map(|number| format!("red_div{number}/1"));
    let second = (1..=10)
        .map(|number| format!("red_div{number}/2"))
        .chain(["red_corps2".into(), "distrib2".into()]);
    let kind = |name: &str| match name {
        "red_corps2" => "corps",
        "distrib2" => "distributor",
        _ => "div",
    };
    for (index, name) in (7..).zip(divisions.chain(second)) {
        objects.push_str(&format!("\n{index},{name},{}", kind(&name)));
    }
    let corps = format!("{}red_corps2,Red,2,300.0,53.0,2\n", GOOD[2]);
    let formations = GOOD[3].replace("Red,2,2,1", "Red,2,2,9");
    let mut tables = GOOD;
    (tables[0], tables[2], tables[3]) = (&objects, &corps, &formations);
    let error = Scenario::read(tables).unwrap_err().to_string();
    assert!(error.contains("more than 20 units begin in G0,0"), "{error}");
}

#[test]
fn spreadsheets_may_write_it_their_way() {
    let windows = format!("\u{feff}{}", GOOD[0].replace('\n', "\r\n"));
    let turned = "note,coefficient,target_id,shooter_id\n,0.000115,1,0\n,0.0005,0,1\n";
    let mut tables = GOOD;
    (tables[0], tables[5]) = (&windows, turned);
    assert_eq!(Scenario::read(tables), Scenario::read(GOOD));
}
