#!/bin/sh
# A Slurm of one machine in the folder $1, then the command after it; all ends with it. For root;
# needs slurmctld, slurmd, the Slurm commands and munge.
set -eu
home=$1
shift
host=$(hostname -s)
mkdir -p "$home/state" "$home/spool" "$home/munge"
chmod 700 "$home/munge"
head -c 1024 /dev/urandom > "$home/munge/key"
chmod 400 "$home/munge/key"
cat > "$home/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$home/munge/socket
CredType=cred/munge
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdTimeout=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$home/slurm.conf"
munged --force --key-file="$home/munge/key" --socket="$home/munge/socket" --pid-file="$home/munge/pid" \
  --log-file="$home/munge/log" --seed-file="$home/munge/seed" --foreground > "$home/munge/out" 2>&1 &
munge=$!
slurmctld -D > "$home/slurmctld.out" 2>&1 &
controller=$!
slurmd -D -N "$host" > "$home/slurmd.out" 2>&1 &
node=$!
trap 'kill $node $controller $munge 2>/dev/null; wait 2>/dev/null' EXIT
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
  tries=$((tries + 1))
  if [ $tries -gt 120 ]; then
    echo 'the Slurm of one machine does not start:' >&2
    tail -n 5 "$home"/*.out "$home"/*.log "$home"/munge/out >&2
    exit 1
  fi
  sleep 0.25
done
"$@"
