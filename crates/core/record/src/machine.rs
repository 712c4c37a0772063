//! Facts about this machine that a reader of a run will ask for.

use serde::{Deserialize, Serialize};

/// The machine that a run was started on. What could not be found out is empty or 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// Processor model, as the kernel names it.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: u32,
    /// Kernel name and release.
    pub kernel: String,
    /// Physical memory.
    pub memory_bytes: u64,
    /// Changes at each start of the machine: counters of two processes compare only within one.
    pub boot_id: String,
}

impl Machine {
    /// This machine.
    pub fn here() -> Machine {
        let system = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        Machine {
            host: Machine::host_here(),
            cpu: cpu_model(&read("/proc/cpuinfo")),
            cores: std::thread::available_parallelism().map_or(0, |cores| cores.get() as u32),
            kernel: format!("{} {}", text(system.sysname()), text(system.release())),
            memory_bytes: memory_bytes(&read("/proc/meminfo")),
            boot_id: Machine::boot_id_here(),
        }
    }

    /// [`Machine::host`] of this machine, without a look at anything else: the kernel takes its
    /// time to describe many cores.
    pub fn host_here() -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }

    /// [`Machine::boot_id`] of this machine, likewise.
    pub fn boot_id_here() -> String {
        read("/proc/sys/kernel/random/boot_id").trim().to_string()
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn cpu_model(cpuinfo: &str) -> String {
    // x86 says "model name"; several others say "Model" or "cpu model", or nothing.
    let of = |key: &str| {
        cpuinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim().eq_ignore_ascii_case(key).then(|| value.trim().to_string())
        })
    };
    ["model name", "cpu model", "Model"].into_iter().find_map(of).unwrap_or_default()
}

fn memory_bytes(meminfo: &str) -> u64 {
    let kib = meminfo.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    });
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_in_what_the_kernel_prints() {
        assert_eq!(
            cpu_model("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n"),
            "Some CPU @ 2 GHz"
        );
        assert_eq!(cpu_model("nothing of use"), "");
        assert_eq!(memory_bytes("MemTotal:       24569880 kB\nMemFree: 1 kB\n"), 24_569_880 * 1024);
        assert_eq!(memory_bytes(""), 0);
    }

    #[test]
    fn this_machine_has_cores_and_a_boot_id() {
        let machine = Machine::here();
        assert!(machine.cores > 0);
        assert!(!machine.boot_id.is_empty() && !machine.boot_id.contains('\n'));
    }
}
