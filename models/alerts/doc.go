// Package alerts watches the trail by rules that an administrator sets, raises
// alerts, and stores the letters about them. It sends nothing itself.
package alerts
