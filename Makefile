# Every command of the project. `make` alone explains them.
.DEFAULT_GOAL := help

GO      ?= go
BIN     := bin/veinte
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PG_HINT := PostgreSQL 14 or newer (Debian: apt install postgresql; macOS: brew install postgresql@17)
SPIN_HINT := spin, the model checker (Debian: apt install spin; macOS: brew install spin)
CC_HINT  := a C compiler, for spin (Debian: apt install build-essential; macOS: xcode-select --install)
POOLER_HINT := PgBouncer (Debian: apt install pgbouncer; macOS: brew install pgbouncer)
FAILOVER_HINT := Patroni, etcd and HAProxy (Debian: apt install patroni python3-etcd etcd-server haproxy)
BACKREST_HINT := pgBackRest (Debian: apt install pgbackrest)
PROXY_HINT := nginx and HAProxy (Debian: apt install nginx haproxy; macOS: brew install nginx haproxy)
SQLMAP_HINT := sqlmap (Debian: apt install sqlmap; macOS: brew install sqlmap)
RACE_CC_HINT := a C compiler, for the race detector (Debian: apt install build-essential; macOS: xcode-select --install)
PY_HINT  := Python 3, for the independent verifier of the trail (Debian: apt install python3; macOS: brew install python)
NODE_HINT := Node.js 20 or newer with npm, for Lighthouse (Debian: apt install npm; macOS: brew install node)
CALC_HINT := LibreOffice Calc (Debian: apt install libreoffice-calc; macOS: brew install --cask libreoffice)
XLSX_HINT := openpyxl for Python 3 (Debian: apt install python3-openpyxl; elsewhere: pip install openpyxl)
FONT_HINT := the typeface Inter (Debian: apt install fonts-inter; macOS: brew install --cask font-inter)
WEB_HINT := Chromium (Debian: apt install chromium; macOS: brew install --cask chromium)

# One way to compile for tests, checks and what is shipped, or each would compile
# everything for itself.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath)

space := $(subst ,, )

.PHONY: help demo test unit generate lint bench chaos e2e build model model-short experiments chaos-short beside mutants tools-postgres tools-pooler tools-chromium tools-fonts tools-spin tools-python shots help-pictures lighthouse tools-node workbooks fuzz race secrets sbom vuln attack flood proxies image release reproducible deploy-test compose-test upgrade-test postgres-versions failover tools-failover soak backup-test tools-pgbackrest

help: ## explain every command
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: tools-postgres ## try everything on this machine: http://127.0.0.1:8020
	@# The built binary, because `go run` does not pass a signal on.
	@$(GO) build -o $(BIN) ./web/veinte && exec $(BIN) demo

test: unit experiments e2e ## everything that CI runs, browser included; lint beside the experiments

# ./web waits for processes most of its time: it begins beside the others, or it would wait
# alone at the end.
unit: tools-postgres tools-pooler tools-python # lint vets
	.ci/in-memory $(GO) test -vet=off -timeout 20m ./web ./...

# Most of their time the experiments wait for a deadline: the model and what lint looks for
# take what they leave of the processors.
experiments: tools-postgres tools-python tools-spin
	$(GO) build -tags chaos -o $(BIN)-chaos ./web/veinte
	@$(MAKE) --no-print-directory -j 2 chaos-short beside

beside:
	@nice -n 15 $(MAKE) --no-print-directory lint model-short

chaos-short:
	cd web/lab && VEINTE_CHAOS_BIN=$(CURDIR)/$(BIN)-chaos ../../.ci/in-memory $(GO) test -vet=off -p 3 -timeout 20m $$($(GO) list ./... | grep -vE '/(e2e|lifemodel|failover|pointintime)$$')

generate: ## write the Go code of the templates anew
	$(GO) tool templ generate

lint: ## formatting, vet and staticcheck
	@out=$$($(GO) tool -modfile=.ci/tools.mod gofumpt -l $$(git ls-files '*.go' | grep -v '_templ\.go$$')); \
	if [ -n "$$out" ]; then echo "gofumpt would change:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags chaos ./models/crashpoint # no other package has files with that tag
	cd web/lab && $(GO) vet ./...
	$(GO) -C .ci/image vet .
	$(GO) tool -modfile=.ci/tools.mod staticcheck ./...
	cd web/lab && $(GO) tool -modfile=../../.ci/tools.mod staticcheck ./...

model: tools-spin ## search the model of a cancellation's life, and catch each deliberate mistake
	cd web/lab && $(GO) test -vet=off -count=1 -v -timeout 20m ./lifemodel

model-short:
	cd web/lab && nice -n 15 $(GO) test -vet=off -count=1 -short -timeout 20m ./lifemodel

bench: tools-postgres build ## measure this machine: ONLY=Pages one part; OLD=FILE compares with another build; ARGS="-sales 100000"
	cd web/lab && VEINTE_BIN=$(CURDIR)/$(BIN) VEINTE_OLD_BIN=$(abspath $(OLD)) \
		$(GO) test -vet=off -run '^$$' -bench '$(or $(ONLY),.)' -benchtime $(if $(OLD),3x,1x) -timeout 0 ./bench $(ARGS)

chaos: tools-postgres ## the long experiments that try to lose, repeat or contradict something
	cd web/lab && $(GO) test -vet=off -count=1 -timeout 0 -p 1 -v ./chaos/... -long

e2e: tools-postgres tools-chromium build ## the main job in a real browser
	cd web/lab && VEINTE_BIN=$(CURDIR)/$(BIN) ../../.ci/in-memory $(GO) test -count=1 -timeout 30m ./e2e

# Packages whose rules need no database. Of others a pattern names the tests that need
# none: what these do not reach is not changed.
MUTANTS := ./models/cards ./models/evidence ./handlers/results ./web/cancelapi ./models/intake=^Test(Judge|SaleTime)
GREMLINS := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

mutants: ## change the pure rules in some hundred places and see that a test fails each time: ONLY=./models/cards
	@for of in '$(subst $(space),' ',$(or $(filter $(ONLY) $(ONLY)=%,$(MUTANTS)),$(ONLY),$(MUTANTS)))'; do \
		package=$${of%%=*}; pattern=$${of#$$package}; echo "$$package"; \
		VEINTE_TEST_RUN="$${pattern#=}" $(GO) run $(GREMLINS) unleash --workers 1 "$$package" | \
			awk '{ print } /^Test efficacy:/ { killed = $$3 + 0 } END { exit killed < 90 }' || exit 1; \
	done

# Package, fuzz test and inputs of each kind: ten million together, fewer where one costs more.
FUZZ := ./handlers/results=FuzzRead=1600000 ./handlers/results=FuzzForwardable=1600000 ./handlers/client=FuzzAddress=1600000 \
	./handlers/api=FuzzBodies=1000000 ./models/table=FuzzCSV=1200000 ./models/table=FuzzWorkbook=400000 \
	./models/audit/trailfile=FuzzVerify=1000000 ./models/audit/trailfile=FuzzSplit=1600000 \
	./web/oidc=FuzzProvider=200000

# Goroutines make what an input reaches differ between runs, and the fuzzer would spend a
# minute on making each such input smaller: ten tries are enough.
fuzz: ## ten million inputs that nobody would send, without a panic: ONLY=FuzzCSV INPUTS=50000 for less
	@for of in $(if $(ONLY),$(foreach f,$(FUZZ),$(if $(findstring =$(ONLY)=,$(f)),$(f))),$(FUZZ)); do \
		package=$${of%%=*}; rest=$${of#*=}; name=$${rest%%=*}; inputs=$(or $(INPUTS),$${rest#*=}); \
		echo "$$name: $$inputs inputs"; \
		.ci/in-memory nice $(GO) test -vet=off -run '^$$' -fuzz "^$$name$$" -fuzztime $${inputs}x -fuzzminimizetime 10x \
			-timeout 0 "$$package" || exit 1; \
	done

# Packages in which goroutines share memory; of ./handlers only the tests of open pages.
RACE := ./models ./models/alerts ./models/closings ./models/oversight ./models/goroutine ./models/crashpoint ./models/clocks ./models/database ./models/accounts ./models/entrance ./models/apikeys ./models/audit/... \
	./models/lineage ./models/operations ./models/rules ./models/sales ./models/terminals ./models/webhooks ./models/results ./models/intake \
	./handlers/pace ./handlers/kit ./handlers/results ./handlers/api ./views/words ./views/export ./views/sales ./web/cancelapi ./web/deliver \
	./web/jobs ./web/oidc ./web/commands ./web/setup

race: tools-postgres tools-python ## tests of the packages that share memory, with the race detector: ONLY=./models/clocks
	@.ci/need gcc "$(RACE_CC_HINT)" build-essential
	@GO='$(GO)' .ci/race $(or $(ONLY),$(RACE))
	@$(if $(ONLY),,GO='$(GO)' .ci/race ./handlers -run 'Stream|Notified')

secrets: ## keys and passwords in the repository and its history, as gitleaks finds them
	@GO='$(GO)' .ci/secrets

sbom: build ## what the program is built from, as CycloneDX: dist/sbom.json
	@GO='$(GO)' .ci/sbom $(BIN)

vuln: ## known weaknesses in what it is built from, as govulncheck finds them, where its database can be reached
	@GO='$(GO)' .ci/vuln

attack: tools-postgres build ## a crawler as every role with other stores' ids, and sqlmap, against a shop of its own; ARGS=-sql for sqlmap alone
	@.ci/need sqlmap "$(SQLMAP_HINT)" sqlmap || echo "sqlmap cannot be installed here"
	cd web/lab && ../../.ci/in-memory $(GO) run ./attack -bin $(CURDIR)/$(BIN) $(ARGS)

proxies: tools-postgres build ## heads of two meanings through nginx and HAProxy: the server answers no more than they saw
	@.ci/need nginx "$(PROXY_HINT)" nginx || echo "nginx cannot be installed here"
	@.ci/need haproxy "$(PROXY_HINT)" haproxy || echo "HAProxy cannot be installed here"
	cd web/lab && ../../.ci/in-memory $(GO) run ./attack -bin $(CURDIR)/$(BIN) -proxies

flood: tools-postgres build ## pages, clicks and a known device's sign-ins under 5,000 wrong ones at once, on a quiet machine: ARGS=-apart gives those a core
	cd web/lab && ulimit -n 20000 && ../../.ci/in-memory $(GO) run ./attack -bin $(CURDIR)/$(BIN) -flood $(ARGS)

workbooks: ## write the test workbooks anew, with LibreOffice and openpyxl
	@.ci/need soffice "$(CALC_HINT)" libreoffice-calc
	@.ci/need openpyxl "$(XLSX_HINT)" python3-openpyxl
	/usr/bin/env PATH="/usr/bin:$$PATH" python3 models/table/testdata/workbooks/write.py

# The commit stands for the release before: there is none yet.
BEFORE := c2f7224

upgrade-test: tools-postgres build ## an upgrade at noon: from an earlier version, built from the history, under load through two servers
	@GO='$(GO)' .ci/before $(BEFORE) dist/veinte-$(BEFORE)
	cd web/lab && ../../.ci/in-memory $(GO) run ./upgrade -old $(CURDIR)/dist/veinte-$(BEFORE) -new $(CURDIR)/$(BIN)

soak: tools-postgres build ## a day of eight hours of 400 stores in twenty minutes: memory, goroutines, connections and clicks at its end as at its beginning: ARGS="-took 1h"
	cd web/lab && ../../.ci/in-memory $(GO) run ./soak -bin $(CURDIR)/$(BIN) $(ARGS)

postgres-versions: tools-node ## migrations, models and the upgrade at noon on PostgreSQL 14, 16, 17 and 18, from npm (Linux on amd64): ONLY=17
	@GO='$(GO)' .ci/postgres-versions $(ONLY)

failover: tools-postgres tools-pooler tools-failover build ## the drill, on Debian: PostgreSQL under Patroni is killed, cut off, frozen and left behind while people click: ONLY=//killed
	cd web/lab && VEINTE_BIN=$(CURDIR)/$(BIN) ../../.ci/in-memory $(GO) test -vet=off -count=1 -timeout 0 -v -run 'TestFailover$(ONLY)' ./failover

lighthouse: tools-postgres tools-chromium tools-node build ## scores of the main pages on a phone, as Lighthouse gives them
	cd web/lab/e2e/lighthouse && npm ci --no-audit --no-fund --silent && node run.mjs $(CURDIR)/$(BIN)

shots help-pictures: export FONTCONFIG_FILE := $(CURDIR)/.ci/fonts.conf

shots: tools-postgres tools-chromium tools-fonts build ## pictures of every page into dist/shots
	mkdir -p dist/shots
	cd web/lab && VEINTE_BIN=$(CURDIR)/$(BIN) SHOTS=$(CURDIR)/dist/shots $(GO) test -count=1 -timeout 60m -run "TestPages|TestEveningPages|TestGallery" ./e2e

help-pictures: tools-postgres tools-chromium tools-fonts build ## take the pictures of the guides anew into static/help
	cd web/lab && VEINTE_BIN=$(CURDIR)/$(BIN) HELP_PICTURES=$(CURDIR)/static/help $(GO) test -count=1 -run TestHelpPictures ./e2e

image: ## the program as an image for containers, FROM scratch, without Docker: dist/veinte.image.tar
	GOOS=linux $(GO) build -buildvcs=false -ldflags "-s -w -buildid= -X veinte/web.version=$(VERSION)" -o dist/veinte ./web/veinte
	GO='$(GO)' .ci/notices dist/veinte > dist/THIRD_PARTY_NOTICES.txt
	$(GO) -C .ci/image build -o $(CURDIR)/dist/image .
	dist/image -program dist/veinte -notices dist/THIRD_PARTY_NOTICES.txt -arch $$($(GO) env GOARCH) -version "$(VERSION)" -out dist/veinte.image.tar

release: ## all of a release into dist/release: programs, images, sums, what they are built from, licences
	@GO='$(GO)' .ci/release

reproducible: ## build the programs of dist/release anew, elsewhere and from nothing, and compare every byte: ONLY=linux/amd64 for one
	@GO='$(GO)' ONLY='$(ONLY)' .ci/release again

deploy-test: ## type every command of the installation, as root on a Debian of its own: it makes users, a cluster and files in /etc
	@GO='$(GO)' .ci/deploy-test

compose-test: ## type the commands of compose.yaml's installation and upgrade, as root on a machine with Docker, Compose 2.24 and its images
	@GO='$(GO)' .ci/compose-test

backup-test: tools-postgres tools-pgbackrest build ## a recovery with pgBackRest to a moment between two clicks, by the sample of web/deploy
	cd web/lab && VEINTE_BIN=$(CURDIR)/$(BIN) $(GO) test -vet=off -count=1 -timeout 10m -v ./pointintime

build: ## the program, as it is shipped: bin/veinte
	$(GO) build -ldflags "-s -w -X veinte/web.version=$(VERSION)" -o $(BIN) ./web/veinte

# What the machine lacks is installed through its package manager when we may;
# else the text says what to install.
tools-postgres:
	@.ci/need postgres "$(PG_HINT)" postgresql

tools-pooler:
	@.ci/need pgbouncer "$(POOLER_HINT)" pgbouncer

# Their packages would begin services of their own.
tools-failover: export RUNLEVEL := 1
tools-failover:
	@.ci/need etcd "$(FAILOVER_HINT)" etcd-server
	@.ci/need haproxy "$(FAILOVER_HINT)" haproxy
	@.ci/need patroni "$(FAILOVER_HINT)" 'patroni python3-etcd'

tools-pgbackrest:
	@.ci/need pgbackrest "$(BACKREST_HINT)" pgbackrest

tools-chromium:
	@.ci/need chromium "$(WEB_HINT)" chromium

tools-fonts:
	@.ci/need inter "$(FONT_HINT)" fonts-inter

tools-python:
	@.ci/need python3 "$(PY_HINT)" python3

tools-node:
	@.ci/need npm "$(NODE_HINT)" npm

tools-spin:
	@.ci/need spin "$(SPIN_HINT)" spin
	@.ci/need gcc "$(CC_HINT)" build-essential
