-- +goose Up

-- The moves of a cancellation are sealed, and told to programs, in the order of their
-- transactions' numbers. A transaction gets its number with its first write or row lock:
-- one that has it before it waits for the sale would be told before the move that it
-- waited for. Every mover locks the sale first, so that does not happen; here it is
-- refused, whoever writes, and the transaction begun anew has a later number. A server
-- of before that meets this while it reads a terminal's post reads the post again.
--
-- moved_era and moved_txid are those of the transaction that moved it last, as the
-- trail counts them: 0 where that was before these columns.
ALTER TABLE cancellations ADD COLUMN moved_era integer NOT NULL DEFAULT 0, ADD COLUMN moved_txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE cancellations ALTER moved_era SET DEFAULT trail_era(), ALTER moved_txid SET DEFAULT pg_current_xact_id();

-- +goose StatementBegin
CREATE FUNCTION refuse_earlier_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.moved_era := public.trail_era();
    NEW.moved_txid := pg_current_xact_id();
    IF (NEW.moved_era, NEW.moved_txid) < (OLD.moved_era, OLD.moved_txid) THEN
        RAISE EXCEPTION 'a later transaction has moved the cancellation already' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER cancellations_moved_in_order BEFORE UPDATE ON cancellations
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION refuse_earlier_move();
