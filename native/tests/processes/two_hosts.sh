#!/bin/sh
# Runs a command by `mpirun` with the processes "-np $1" on two hosts that are network namespaces of
# this machine, joined by a virtual cable: between them there is TCP only. For root.
set -eu
processes=$1
shift
one=hapax1-$$
other=hapax2-$$
agent=$(mktemp)
trap 'ip netns del $one; ip netns del $other; rm -f "$agent"' EXIT
ip netns add "$one"
ip netns add "$other"
ip link add "hx1-$$" netns "$one" type veth peer name "hx2-$$" netns "$other"
ip -n "$one" addr add 10.77.0.1/24 dev "hx1-$$"
ip -n "$other" addr add 10.77.0.2/24 dev "hx2-$$"
for host in "$one" "$other"; do ip -n "$host" link set lo up; done
ip -n "$one" link set "hx1-$$" up
ip -n "$other" link set "hx2-$$" up
# In the place of ssh: the first word is the host.
cat > "$agent" <<END
#!/bin/sh
shift
exec ip netns exec $other sh -c "\$*"
END
chmod +x "$agent"
ip netns exec "$one" mpirun --host 10.77.0.1:8,10.77.0.2:8 --map-by node -np "$processes" \
  --bind-to none --mca mpi_yield_when_idle 1 --mca plm_rsh_agent "$agent" \
  --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 "$@"
printf 'bytes over the cable: '
ip netns exec "$one" cat "/sys/class/net/hx1-$$/statistics/tx_bytes"
