-- +goose Up

-- The sales told of one order of one terminal, for whoever is about to tell one
-- more: until the transaction ends nobody else is. The terminal and its order
-- number name one charge, whatever merchant id it is told under. The function is
-- volatile, so that it looks after it has waited.
-- +goose StatementBegin
CREATE FUNCTION sales_of_order(serial text, told_order text) RETURNS SETOF sales LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(order_lock(serial, told_order));
    RETURN QUERY SELECT * FROM sales s WHERE s.order_id = told_order AND s.serial_number = serial ORDER BY s.id;
END $$;
-- +goose StatementEnd

CREATE FUNCTION order_lock(serial text, told_order text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN hashtextextended(serial || ' ' || told_order, 16);
