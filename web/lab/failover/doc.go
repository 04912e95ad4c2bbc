// Package failover is the drill of `make failover`: three PostgreSQL under Patroni with
// etcd, HAProxy and PgBouncer in front of them, all as web/deploy/ha has them, two servers
// of the product and the sandbox, on one machine. While people click, the leader is killed,
// cut off, frozen, or left without standbys; then the ledger is compared with the database.
// It takes minutes and is not part of `make test`.
package failover
