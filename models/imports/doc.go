// Package imports takes files as a whole: looks at them, imports them in one
// transaction once a person confirmed, and undoes that. It knows nothing of
// how a file is uploaded.
package imports
