package export

// Exporting has so many exports more under way.
func (s *Service) Exporting(n int64) { s.exports.Add(n) }
