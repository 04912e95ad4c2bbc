package outage

import "syscall"

func mountSmall(dir string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+diskSize+",mode=0711")
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
