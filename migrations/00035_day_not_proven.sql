-- +goose Up

-- teller_of as 00024 made it, its body as a text: since its minor releases of November 2026
-- (15.20), PostgreSQL gives a table no column with a default while a function with a parsed
-- body takes that table's rows.
CREATE OR REPLACE FUNCTION teller_of(s sales) RETURNS text LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT CASE s.source
        WHEN 'hand' THEN (SELECT 'u' || e.actor_id FROM audit_entries e
            WHERE e.sale_id = s.id AND e.action = 'sales.recorded' AND e.outcome = 'success' AND e.actor_id IS NOT NULL
            ORDER BY e.at, e.id LIMIT 1)
        WHEN 'import' THEN (SELECT 'u' || (i.actor ->> 'UserID') FROM imports i WHERE i.id = s.batch_id AND i.actor ->> 'UserID' ~ '^[1-9]')
    END
$$;

-- Whether a terminal posted the sale and nothing proves that it was made on its
-- business day: the order number holds no time that agrees, and it was posted before
-- 06:00 or after that terminal had been silent for an hour, so that it may have kept the
-- sale since another day. False for what other doors told, which name the time, and for
-- sales of before: nobody can say it of them any more.
ALTER TABLE sales ADD COLUMN day_unproven boolean NOT NULL DEFAULT false;

-- The date on the ticket of such a sale, once a person or another door has said it; null
-- until then. The same as business_day: the sale may be canceled. An earlier day: its
-- cut-off has passed. It is said in the trail, with who said it.
ALTER TABLE sales ADD COLUMN ticket_date date
    CONSTRAINT sales_ticket_date_check CHECK (ticket_date IS NULL OR day_unproven AND ticket_date <= business_day);
