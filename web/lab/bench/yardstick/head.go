package yardstick

// head is what both pages begin with, up to the name of who is signed in.
const head = `<!DOCTYPE html><html lang="es-MX"><head><meta charset="utf-8"><title>Ventas de hoy</title>` +
	`<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/static/page.css">` +
	`<link rel="icon" href="/static/icon.svg"><script src="/static/page.js" defer></script></head><body>` +
	`<a class="skip" href="#main">Ir al contenido</a><header><nav aria-label="Principal"><ul>` +
	`<li><a href="/today">Hoy</a></li><li><a href="/sales" aria-current="page">Ventas</a></li><li><a href="/review">Por revisar</a></li>` +
	`<li><a href="/control">Control</a></li><li><a href="/help">Ayuda</a></li></ul></nav>` +
	`<form role="search" action="/"><label for="q">Buscar</label><input id="q" name="q" type="search" maxlength="80">` +
	`<button>Buscar</button></form><span class="who">`
