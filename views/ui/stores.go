package ui

// Zones are offered for a store: those of Mexico, most people first.
var Zones = []string{
	"America/Mexico_City", "America/Cancun", "America/Merida", "America/Monterrey",
	"America/Chihuahua", "America/Mazatlan", "America/Hermosillo", "America/Bahia_Banderas",
	"America/Tijuana", "America/Ciudad_Juarez", "America/Ojinaga", "America/Matamoros",
}
