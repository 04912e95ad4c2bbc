package main

// head is a request that two programs may read differently. handlers/framing_test.go sends
// the same to the server alone.
type head struct{ fact, request string }

func heads() []head {
	const post, host = "POST /login HTTP/1.1\r\n", "Host: veinte.test\r\n"
	return []head{
		{"a request line that ends with LF", "GET /livez HTTP/1.1\nHost: veinte.test\r\n\r\n"},
		{"a length and chunks", post + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunks and a length", post + host + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n"},
		{"a space before the colon", post + host + "Content-Length : 66\r\n\r\n"},
		{"a tab before the colon", post + host + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"},
		{"a name with a space", "GET /livez HTTP/1.1\r\n" + host + "X Y: 1\r\n\r\n"},
		{"no name", "GET /livez HTTP/1.1\r\n" + host + ": 1\r\n\r\n"},
		{"no colon", "GET /livez HTTP/1.1\r\n" + host + "nonsense\r\n\r\n"},
		{"chunks in HTTP/1.0", "POST /login HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunks twice", post + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunks and identity", post + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"},
		{"identity alone", post + host + "Transfer-Encoding: identity\r\n\r\n"},
		{"chunks with another coding", post + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
		{"two codings in one line", post + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
		{"a folded line", "GET /livez HTTP/1.1\r\n" + host + "X-A: 1\r\n 2\r\n\r\n"},
		{"a folded coding", post + host + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"},
		{"a line that ends with LF", "GET /livez HTTP/1.1\r\nHost: veinte.test\nX-A: 1\r\n\r\n"},
		{"a head that ends with LF", "GET /livez HTTP/1.1\r\nHost: veinte.test\r\n\n"},
		{"a CR within a value", "GET /livez HTTP/1.1\r\n" + host + "X-A: 1\rContent-Length: 5\r\n\r\n"},
		{"two lengths", post + host + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"},
		{"two lengths in one line", post + host + "Content-Length: 0, 0\r\n\r\n"},
		{"a length with a sign", post + host + "Content-Length: +0\r\n\r\n"},
		{"a length in hex", post + host + "Content-Length: 0x0\r\n\r\n"},
		{"two hosts", "GET /livez HTTP/1.1\r\n" + host + "Host: evil.test\r\n\r\n"},
		{"the same host twice", "GET /livez HTTP/1.1\r\n" + host + host + "\r\n"},
		{"no host", "GET /livez HTTP/1.1\r\nX-A: 1\r\n\r\n"},
		{"no headers", "GET /livez HTTP/1.1\r\n\r\n"},
		{"an empty host", "GET /livez HTTP/1.1\r\nHost:\r\n\r\n"},
		{"a full address", "GET http://evil.test/livez HTTP/1.1\r\n" + host + "\r\n"},
		{"an address that begins a host", "GET //evil.test/livez HTTP/1.1\r\n" + host + "\r\n"},
		{"a chunk of 0x0", post + host + "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n"},
		{"a chunk of -1", post + host + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"},
		{"a chunk without a size", post + host + "Transfer-Encoding: chunked\r\n\r\n;a\r\n\r\n"},
		{"a chunk's size that ends with LF", post + host + "Transfer-Encoding: chunked\r\n\r\n0\n\r\n"},
		{"a chunk longer than its size", post + host + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"},
	}
}
