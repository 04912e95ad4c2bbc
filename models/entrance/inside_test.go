package entrance

// SignInsSQL is the query by which people see their last sign-ins.
const SignInsSQL = signInsSQL
