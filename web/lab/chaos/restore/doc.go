// Package restore is the experiment in which the database is another one than before: a
// backup that was made under load is restored while the old cluster and the terminals go
// on, and a standby that lagged is promoted under servers that live on. What the copy
// calls requested was sent from the other one. Nothing may be sent twice, and each doubt
// must end as the terminals know it. The judge is judged: by made-up books, and by a copy
// that was made to believe that it is the original.
package restore
