-- +goose Up

-- One row per thing somebody did, tried or was refused. Rows carry names and
-- have no foreign keys, so that an entry outlives what it describes.
CREATE TABLE audit_entries (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
    -- Commit order is not id order: a sealer reads by this, below the oldest
    -- transaction still running.
    txid            xid8 NOT NULL DEFAULT pg_current_xact_id()
);

CREATE INDEX audit_entries_time ON audit_entries (at DESC, id DESC);
CREATE INDEX audit_entries_store ON audit_entries (store_id, at DESC, id DESC);
CREATE INDEX audit_entries_actor ON audit_entries (actor_id, at DESC, id DESC);
CREATE INDEX audit_entries_action ON audit_entries (action, at DESC, id DESC);
CREATE INDEX audit_entries_outcome ON audit_entries (outcome, at DESC, id DESC) WHERE outcome <> 'success';
CREATE INDEX audit_entries_sale ON audit_entries (sale_id, id) WHERE sale_id IS NOT NULL;
CREATE INDEX audit_entries_commit_order ON audit_entries (txid, id);

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the trail is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

-- Statement triggers, because TRUNCATE fires no row trigger, and because a
-- statement that happens to match no row is refused as well.
CREATE TRIGGER audit_entries_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Triggers of a replica session are skipped; this one is not.
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_append_only;
