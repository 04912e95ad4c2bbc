-- +goose Up

-- People see their last sign-ins, which are entries of the trail. Whoever came in is named by
-- their number, and whoever was refused by the address that was typed. Both indexes have the
-- sign-ins alone, so that every other entry costs what it did.
CREATE INDEX audit_entries_sign_ins ON audit_entries (actor_id, at DESC, id DESC)
    WHERE action = 'session.started' AND actor_id IS NOT NULL;
CREATE INDEX audit_entries_refused_sign_ins ON audit_entries (actor_name, at DESC, id DESC)
    WHERE action = 'session.started' AND actor_id IS NULL;
