-- +goose Up

-- Programs follow sales, cancellations and results as they change, in the order in which
-- the trail is followed: by era and number of the transaction that changed a row last, read
-- below the oldest transaction that is still running. A row has one place there, that of
-- its latest change. One that is changed again moves on, so whoever follows meets it again,
-- and nothing has to be kept for them or cleared away. What was there before these columns
-- comes first. The defaults are the database's, so that servers of the release before set
-- them too.
ALTER TABLE sales ADD COLUMN changed_era integer NOT NULL DEFAULT 0, ADD COLUMN changed_txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE sales ALTER changed_era SET DEFAULT trail_era(), ALTER changed_txid SET DEFAULT pg_current_xact_id();
ALTER TABLE undone_sales ADD COLUMN changed_era integer NOT NULL DEFAULT 0, ADD COLUMN changed_txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE undone_sales ALTER changed_era SET DEFAULT trail_era(), ALTER changed_txid SET DEFAULT pg_current_xact_id();
ALTER TABLE cancellations ADD COLUMN changed_era integer NOT NULL DEFAULT 0, ADD COLUMN changed_txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE cancellations ALTER changed_era SET DEFAULT trail_era(), ALTER changed_txid SET DEFAULT pg_current_xact_id();
ALTER TABLE results ADD COLUMN changed_era integer NOT NULL DEFAULT 0, ADD COLUMN changed_txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE results ALTER changed_era SET DEFAULT trail_era(), ALTER changed_txid SET DEFAULT pg_current_xact_id();

-- +goose StatementBegin
CREATE FUNCTION mark_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_era := public.trail_era();
    NEW.changed_txid := pg_current_xact_id();
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER sales_change_marked BEFORE UPDATE ON sales FOR EACH ROW EXECUTE FUNCTION mark_change();
CREATE TRIGGER cancellations_change_marked BEFORE UPDATE ON cancellations FOR EACH ROW EXECUTE FUNCTION mark_change();
CREATE TRIGGER results_change_marked BEFORE UPDATE ON results FOR EACH ROW EXECUTE FUNCTION mark_change();
