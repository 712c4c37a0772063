#!/bin/sh
# A server and its clients, traced: served.sh WORK FOURSTAMP RUN ADDRESS [SERVER-NAMESPACE CLIENT-NAMESPACE]
# Without namespaces both are on this host. Its files go into RUN's folder, beside the run.
set -eu
work=$1
fourstamp=$2
run=$3
address=$4
at_server=${5:+ip netns exec $5}
at_client=${6:+ip netns exec $6}
folder=$(dirname "$run")
port=$((10000 + $$ % 20000))
as=
log=$run.log
rm -rf "$run"
server_of() { $at_server $as "$fourstamp" trace --no-report $1 --out "$run" -- $2 >/dev/null 2>"$log" & }
client_of() { $at_client $as "$fourstamp" trace --no-report --join "$run" -- "$@" >/dev/null 2>>"$log"; }
# Whether the server listens is asked by nobody whom it would have to serve.
listens() {
    tries=0
    until [ -f "$run/run.json" ] && $at_server sh -c "grep -qi ':$(printf %04X "$port") .* 0A ' /proc/net/tcp"; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ]
        sleep 0.05
    done
}
redis() {
    server_of "" "redis-server --port $port --bind $address --protected-mode no --save ''"
    listens
    client_of redis-benchmark -h "$address" -p "$port" "$@"
    $at_client redis-cli -h "$address" -p "$port" shutdown nosave
}
nginx() {
    conf=$folder/nginx-$$
    mkdir -p "$conf"
    head -c 1000000 /dev/zero >"$conf/file"
    cat >"$conf/conf" <<END
daemon off; worker_processes 1; pid $conf/pid; error_log $conf/error.log; user root;
events { worker_connections 512; }
http { access_log off; keepalive_requests 1000000;
    client_body_temp_path $conf/body; proxy_temp_path $conf/proxy; fastcgi_temp_path $conf/fastcgi;
    uwsgi_temp_path $conf/uwsgi; scgi_temp_path $conf/scgi;
    server { listen $address:$port; root $conf; location = / { return 200 "here\n"; } } }
END
    server_of --follow "nginx -c $conf/conf"
    listens
    path=$1
    shift
    client_of ab -q "$@" "http://$address:$port/$path"
    kill "$(cat "$conf/pid")"
}
postgres() {
    data=$folder/postgres-$$
    programs=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
    mkdir -p "$data"
    chown postgres "$data"
    # Its processes write the run: it lies where they may, and is taken away at the end.
    as="runuser -u postgres --"
    kept=$run
    run=$data/run
    $as "$programs/initdb" -D "$data" -A trust >/dev/null
    echo "host all all 0.0.0.0/0 trust" >>"$data/pg_hba.conf"
    $as "$programs/pg_ctl" -D "$data" -o "-p $port -k $data" -w start >/dev/null
    $as "$programs/pgbench" -i -q -s 2 -h "$data" -p "$port" >/dev/null 2>&1
    $as "$programs/pg_ctl" -D "$data" -w stop >/dev/null
    server_of --follow "$programs/postgres -D $data -p $port -k $data -h $address -c synchronous_commit=off"
    listens
    sleep 1
    client_of "$programs/pgbench" -n -h "$address" -p "$port" -U postgres "$@" postgres
    kill -INT "$(head -n 1 "$data/postmaster.pid")"
    wait
    mv "$run" "$kept"
}
case $work in
    redis) redis -n 40000 -c 20 -t get ;;
    redis-pipelined) redis -n 300000 -c 10 -P 16 -t get ;;
    nginx) nginx "" -k -n 10000 -c 8 ;;
    nginx-connect) nginx "" -n 3000 -c 8 ;;
    nginx-file) nginx file -k -n 400 -c 4 ;;
    nginx-file-connect) nginx file -n 200 -c 4 ;;
    pgbench) postgres -c 4 -j 2 -t 100 ;;
    pgbench-connect) postgres -S -C -c 4 -j 2 -t 30 ;;
    *) echo "served.sh: no work is called $work" >&2; exit 2 ;;
esac
wait
rm -rf "$folder/nginx-$$" "$folder/postgres-$$"
