-- +goose Up

-- The trail by months. A month can be put away without touching another one,
-- and what was sealed of it stays provable. Months live in a schema of their
-- own, in which the application has no rights: it reads and adds through the
-- table that it has always known.
CREATE SCHEMA trail;

ALTER TABLE audit_entries RENAME TO audit_entries_unparted;
ALTER TABLE audit_entries_unparted DISABLE TRIGGER audit_entries_append_only;
DROP INDEX audit_entries_time, audit_entries_store, audit_entries_actor, audit_entries_action,
    audit_entries_outcome, audit_entries_sale, audit_entries_commit_order;
ALTER TABLE audit_entries_unparted RENAME CONSTRAINT audit_entries_pkey TO audit_entries_unparted_pkey;
ALTER SEQUENCE audit_entries_id_seq RENAME TO audit_entries_unparted_id_seq;

CREATE TABLE audit_entries (
    id              bigint GENERATED ALWAYS AS IDENTITY,
    at              timestamptz NOT NULL,
    actor_id        bigint,                 -- null for the system and for terminals
    actor_name      text NOT NULL CHECK (actor_name <> ''),
    actor_role      text NOT NULL,
    on_behalf_of    text NOT NULL DEFAULT '',
    action          text NOT NULL CHECK (action ~ '^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$'),
    outcome         text NOT NULL CHECK (outcome IN ('success', 'failure', 'denied', 'unknown')),
    store_id        bigint,
    store_name      text NOT NULL DEFAULT '',
    serial_number   text NOT NULL DEFAULT '',
    sale_id         bigint,
    order_id        text NOT NULL DEFAULT '',
    cancellation_id bigint,
    attempt_number  integer,
    amount          bigint,                 -- centavos
    before          jsonb,
    after           jsonb,
    reason          text NOT NULL DEFAULT '',
    address         text NOT NULL DEFAULT '',
    user_agent      text NOT NULL DEFAULT '',
    request_id      text NOT NULL DEFAULT '',
    -- The exact bytes that stand for this entry in a proof. The columns above
    -- are for finding it; this is what is said.
    canonical       bytea NOT NULL,
    txid            xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Commit order is (era, txid, id), read below the oldest transaction still
    -- running. A cluster into which a dump was restored counts its transactions
    -- from the beginning: a new era keeps what is written there behind what
    -- came with the dump.
    era             integer NOT NULL DEFAULT 1,
    PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);

CREATE INDEX audit_entries_time ON audit_entries (at DESC, id DESC);
CREATE INDEX audit_entries_store ON audit_entries (store_id, at DESC, id DESC);
CREATE INDEX audit_entries_actor ON audit_entries (actor_id, at DESC, id DESC);
CREATE INDEX audit_entries_action ON audit_entries (action, at DESC, id DESC);
CREATE INDEX audit_entries_outcome ON audit_entries (outcome, at DESC, id DESC) WHERE outcome <> 'success';
CREATE INDEX audit_entries_sale ON audit_entries (sale_id, id) WHERE sale_id IS NOT NULL;
CREATE INDEX audit_entries_commit_order ON audit_entries (era, txid, id);

CREATE TRIGGER audit_entries_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_append_only;

-- A statement that names a month fires only the month's own statement triggers.
-- +goose StatementBegin
CREATE FUNCTION trail.guard(month regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %s
        FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change()', month);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only', month);
END $$;
-- +goose StatementEnd

-- What belongs to no month that was made: an act must not fail for want of one.
CREATE TABLE trail.audit_entries_rest PARTITION OF audit_entries DEFAULT;
SELECT trail.guard('trail.audit_entries_rest');

-- make_month makes the partition of a month (UTC) and reports whether it did.
-- It is attached rather than created in place, which would stop everybody who
-- writes. A month of which the rest holds entries already is left there: to move
-- them would be to delete them.
-- +goose StatementBegin
CREATE FUNCTION trail.make_month(first date) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    begins timestamptz := date_trunc('month', first::timestamptz);
    ends   timestamptz := date_trunc('month', first::timestamptz) + interval '1 month';
    name   text := to_char(begins, '"audit_entries_"YYYY_MM');
BEGIN
    IF to_regclass(format('trail.%I', name)) IS NOT NULL
        OR EXISTS (SELECT FROM trail.audit_entries_rest WHERE at >= begins AND at < ends) THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE trail.%I (LIKE public.audit_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', name);
    EXECUTE format('ALTER TABLE public.audit_entries ATTACH PARTITION trail.%I FOR VALUES FROM (%L) TO (%L)', name, begins, ends);
    PERFORM trail.guard(format('trail.%I', name)::regclass);
    RETURN true;
END $$;
-- +goose StatementEnd

-- audit_partitions makes the months from this one to that of a day, at most two
-- years ahead, and returns how many were new. The application may call it,
-- although it may not make tables.
-- +goose StatementBegin
CREATE FUNCTION audit_partitions(upto date) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    month date := date_trunc('month', now());
    made  integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('veinte months of the trail', 0));
    WHILE month <= least(upto, (now() + interval '24 months')::date) LOOP
        IF trail.make_month(month) THEN
            made := made + 1;
        END IF;
        month := month + interval '1 month';
    END LOOP;
    RETURN made;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION audit_partitions(date) FROM PUBLIC;

-- What was there comes over as it is, number and transaction included.
-- +goose StatementBegin
DO $$
DECLARE month date;
BEGIN
    FOR month IN SELECT DISTINCT date_trunc('month', at AT TIME ZONE 'UTC')::date FROM audit_entries_unparted ORDER BY 1 LOOP
        PERFORM trail.make_month(month);
    END LOOP;
    PERFORM audit_partitions((now() + interval '3 months')::date);
    INSERT INTO audit_entries (id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
            serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason,
            address, user_agent, request_id, canonical, txid)
        OVERRIDING SYSTEM VALUE
        SELECT id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
            serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason,
            address, user_agent, request_id, canonical, txid
        FROM audit_entries_unparted ORDER BY id;
    PERFORM setval(pg_get_serial_sequence('audit_entries', 'id'), s.last_value, s.is_called) FROM audit_entries_unparted_id_seq s;
END $$;
-- +goose StatementEnd
DROP TABLE audit_entries_unparted;

-- trail_era is the era in which entries are written now.
-- +goose StatementBegin
CREATE FUNCTION trail_era() RETURNS integer LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_get_expr(d.adbin, d.adrelid)::integer
    FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
    WHERE d.adrelid = 'public.audit_entries'::regclass AND a.attname = 'era'
$$;
-- +goose StatementEnd

-- trail_begin_era begins a new era when this cluster's transactions would come
-- before those that are in the trail already, and returns the era. Every
-- connection that may write asks for it first.
-- +goose StatementBegin
CREATE FUNCTION trail_begin_era() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_is_in_recovery() OR NOT trail.behind() THEN
        RETURN public.trail_era();
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('veinte era of the trail', 0));
    IF trail.behind() THEN -- nobody was quicker
        EXECUTE format('ALTER TABLE public.audit_entries ALTER era SET DEFAULT %s', public.trail_era() + 1);
    END IF;
    RETURN public.trail_era();
END $$;

-- behind reports whether the next transaction has a lower number than one that
-- the trail has of its era.
CREATE FUNCTION trail.behind() RETURNS boolean LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT pg_snapshot_xmax(pg_current_snapshot()) <= txid FROM public.audit_entries
        WHERE era = public.trail_era() ORDER BY txid DESC, id DESC LIMIT 1), false)
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION trail_begin_era() FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA trail FROM PUBLIC;

-- The sealed trail: leaf n of the tree stands for one entry. The hash is kept,
-- so that a month can be put away and the rest still be proved.
CREATE TABLE sealed_entries (
    n        bigint PRIMARY KEY CHECK (n >= 0),
    entry_id bigint NOT NULL UNIQUE,
    at       timestamptz NOT NULL,              -- of the entry: which month it is in
    hash     bytea NOT NULL CHECK (length(hash) = 32)
);

-- Every eighth level of the tree above the leaves: the root of the complete
-- subtree n of 2^(8·level) leaves. What lies between is computed from these.
CREATE TABLE sealed_nodes (
    level smallint NOT NULL CHECK (level >= 1),
    n     bigint NOT NULL CHECK (n >= 0),
    hash  bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, n)
);

-- What was signed, by how many entries the tree had.
CREATE TABLE checkpoints (
    size      bigint PRIMARY KEY CHECK (size > 0),
    root      bytea NOT NULL CHECK (length(root) = 32),
    sealed_at timestamptz NOT NULL,
    -- Where the last sealed entry stands in the trail: sealing goes on behind it.
    era       integer NOT NULL,
    txid      xid8 NOT NULL,
    entry_id  bigint NOT NULL,
    note      text NOT NULL CHECK (note <> '')
);

-- +goose StatementBegin
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['sealed_entries', 'sealed_nodes', 'checkpoints'] LOOP
        PERFORM trail.guard(format('public.%I', t)::regclass);
    END LOOP;
END $$;
-- +goose StatementEnd
