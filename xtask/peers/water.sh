#!/bin/sh
# A box of 2,621 molecules of water, ready to run: water.sh FOLDER STEPS leaves FOLDER/water.tpr.
# Needs gmx_mpi (Debian: gromacs, gromacs-data).
set -eu
cd "$1"
top=$(dirname "$(find /usr/share/gromacs /usr/local/gromacs -name spc216.gro 2>/dev/null | head -n 1)")
export GMX_MAXBACKUP=-1
gmx() { OMPI_MCA_btl=self gmx_mpi -quiet -nobackup "$@" </dev/null >water.log 2>&1 || { cat water.log >&2; exit 1; }; }
cat >water.top <<END
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
END
gmx solvate -cs "$top/spc216.gro" -box 4.3 4.3 4.3 -o water.gro -p water.top
cat >water.mdp <<END
integrator = md
dt = 0.001
nsteps = $2
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
tcoupl = v-rescale
tc-grps = System
tau-t = 0.5
ref-t = 300
gen-vel = yes
gen-seed = 1
ld-seed = 1
END
gmx grompp -f water.mdp -c water.gro -p water.top -o water.tpr -po water-out.mdp -maxwarn 2
