// Package alerts watches the trail by rules that an administrator sets, raises
// alerts, and keeps the letters about them. It sends nothing itself.
package alerts
