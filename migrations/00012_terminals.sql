-- +goose Up

-- A move may be planned: an assignment that was written before it begins. Null
-- where it held already when it was written.
ALTER TABLE assignments ADD COLUMN planned_at timestamptz;
ALTER TABLE assignments ADD CONSTRAINT assignments_planned_before CHECK (planned_at IS NULL OR planned_at < valid_from);

-- A sale keeps the assignment of its time, so no change of an assignment may
-- leave a sale in a store where its terminal, by the table, never stood. It is
-- looked at when the transaction ends: a move ends one row and begins another.
-- Only the instants that the change concerns are looked at, which are none or
-- few. An order number has no fraction of a second: a sale's instant may lie
-- anywhere in its second.
-- +goose StatementBegin
CREATE FUNCTION keep_sales_where_they_were() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    terminal bigint := coalesce(NEW.terminal_id, OLD.terminal_id);
    since timestamptz := coalesce(NEW.valid_from, OLD.valid_from);
    until timestamptz;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.terminal_id <> OLD.terminal_id THEN
            RAISE EXCEPTION 'an assignment stays with its terminal' USING ERRCODE = 'restrict_violation';
        END IF;
        IF (NEW.store_id, NEW.valid_from) = (OLD.store_id, OLD.valid_from) THEN
            since := least(NEW.valid_to, OLD.valid_to); -- only its end has changed
        END IF;
        until := nullif(greatest(coalesce(NEW.valid_to, 'infinity'), coalesce(OLD.valid_to, 'infinity')), 'infinity');
    ELSE
        until := coalesce(NEW.valid_to, OLD.valid_to);
    END IF;
    IF EXISTS (
        SELECT FROM sales s
        WHERE s.terminal_id = terminal AND s.sold_at >= since AND (until IS NULL OR s.sold_at < until)
          AND NOT EXISTS (
            SELECT FROM assignments a
            WHERE a.terminal_id = terminal AND a.store_id = s.store_id
              AND a.valid_from <= s.sold_at + interval '999999 microseconds'
              AND (a.valid_to IS NULL OR a.valid_to > s.sold_at))
    ) THEN
        RAISE EXCEPTION 'sales of terminal % would have been made elsewhere', terminal USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER assignments_keep_sales AFTER INSERT OR UPDATE OR DELETE ON assignments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_sales_where_they_were();

-- Assignments are never deleted, but a plan that has not begun is none yet: it
-- may be taken back, by this function only. The trail keeps what was planned.
-- +goose StatementBegin
CREATE FUNCTION withdraw_plan(plan bigint, now timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
    DELETE FROM public.assignments WHERE id = plan AND planned_at IS NOT NULL AND valid_from > now AND valid_to IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'assignment % is no plan that has not begun', plan USING ERRCODE = 'restrict_violation';
    END IF;
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION withdraw_plan(bigint, timestamptz) FROM PUBLIC;

-- Where each terminal stands, and which are to move.
CREATE INDEX assignments_planned ON assignments (valid_from, terminal_id) WHERE planned_at IS NOT NULL;

-- The health of the mapping is asked for on every page of the list, so what is
-- rare has an index of its own. Posts of terminals that nobody registered:
CREATE INDEX results_strays ON results (serial_number, id)
    WHERE status = 'unmatched' AND reviewed_at IS NULL AND kind <> 'unreadable';
-- What one terminal posted, newest first:
CREATE INDEX results_serial ON results (serial_number, received_at DESC, id DESC);
-- Sales whose order number names another terminal, YYMMDDhhmmss-<serial>:
CREATE INDEX sales_other_serial ON sales (terminal_id, sold_at DESC)
    WHERE substr(order_id, 13, 1) = '-' AND substr(order_id, 14, 10) <> serial_number
      AND order_id ~ '^[0-9]{12}-[0-9]{10}';
