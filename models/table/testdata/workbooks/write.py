"""Writes the workbooks of this folder, and beside each a CSV of what was meant.

Needs soffice (LibreOffice Calc) and openpyxl: `make workbooks` installs both and
runs this. README.md says what each file is.
"""

import csv
import datetime
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile
from xml.sax.saxutils import escape

import openpyxl

HERE = pathlib.Path(__file__).parent
ROWS = 2000
HEAD = ["Número de serie", "Orden", "Importe", "Fecha"]
SERIAL = 1490000001
EPOCH = datetime.datetime(1899, 12, 30)
EPOCH_1904 = datetime.datetime(1904, 1, 1)


def sales(name):
    """Random amounts of every size, in centavos, with an order number and a time before 11:00."""
    rng = random.Random("veinte " + name)
    out = []
    for n in range(1, ROWS + 1):
        cents = rng.randint(1, 10 ** rng.randint(1, 9))
        at = datetime.datetime(2026, 11, 20) + datetime.timedelta(seconds=rng.randrange(11 * 3600))
        out.append((f"{name[:2].upper()}-{n:04d}", cents, at))
    with open(HERE / (name + ".csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["order", "amount", "soldAt"])
        for order, cents, at in out:
            w.writerow([order, f"{cents // 100}.{cents % 100:02d}", at.isoformat()])
    return out


def stored(n, cents):
    """The double of a cell: of a typed number the nearest one, of a computed one perhaps its neighbour."""
    return cents * 0.01 if n % 3 == 0 else cents / 100


def days(at, epoch=EPOCH):
    return (at - epoch).total_seconds() / 86400


def libreoffice(name):
    """LibreOffice Calc converts a flat OpenDocument sheet."""
    rows = []
    for n, (order, cents, at) in enumerate(sales(name)):
        rows.append(
            "<table:table-row>"
            f'<table:table-cell office:value-type="float" office:value="{SERIAL}"/>'
            f'<table:table-cell office:value-type="string"><text:p>{order}</text:p></table:table-cell>'
            f'<table:table-cell table:style-name="pesos" office:value-type="float" office:value="{stored(n, cents)!r}"/>'
            f'<table:table-cell table:style-name="when" office:value-type="date" office:date-value="{at.isoformat()}"/>'
            "</table:table-row>"
        )
    head = "".join(f'<table:table-cell office:value-type="string"><text:p>{h}</text:p></table:table-cell>' for h in HEAD)
    ns = "urn:oasis:names:tc:opendocument:xmlns:"
    fods = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="{ns}office:1.0" xmlns:table="{ns}table:1.0" '
        f'xmlns:text="{ns}text:1.0" xmlns:style="{ns}style:1.0" xmlns:number="{ns}datastyle:1.0" office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>'
        '<number:number-style style:name="N1"><number:text>$</number:text>'
        '<number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>'
        '<number:date-style style:name="N2"><number:day number:style="long"/><number:text>/</number:text>'
        '<number:month number:style="long"/><number:text>/</number:text><number:year number:style="long"/><number:text> </number:text>'
        '<number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/></number:date-style>'
        '<style:style style:name="pesos" style:family="table-cell" style:data-style-name="N1"/>'
        '<style:style style:name="when" style:family="table-cell" style:data-style-name="N2"/></office:automatic-styles>'
        f'<office:body><office:spreadsheet><table:table table:name="Ventas"><table:table-row>{head}</table:table-row>'
        f'{"".join(rows)}</table:table></office:spreadsheet></office:body></office:document>'
    )
    with tempfile.TemporaryDirectory() as tmp:
        source = pathlib.Path(tmp) / (name + ".fods")
        source.write_text(fods, encoding="utf-8")
        subprocess.run(
            ["soffice", "--headless", f"-env:UserInstallation=file://{tmp}/profile", "--convert-to", "xlsx:Calc MS Excel 2007 XML",
             "--outdir", str(HERE), str(source)],
            check=True, stdout=subprocess.DEVNULL,
        )


def with_openpyxl(name):
    """openpyxl writes numbers and dates as Python has them."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ventas"
    sheet.append(HEAD)
    for n, (order, cents, at) in enumerate(sales(name)):
        sheet.append([SERIAL, order, stored(n, cents), at])
        sheet.cell(row=n + 2, column=4).number_format = "dd/mm/yyyy hh:mm:ss"
    book.save(HERE / (name + ".xlsx"))


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml."


def documented(name, *, digits, inline=False, since_1904=False, date_format=22):
    """A workbook by ECMA-376: digits of a number, shared or inline strings, a built-in or a custom format of dates."""
    epoch = EPOCH_1904 if since_1904 else EPOCH
    strings, index = [], {}

    def text(ref, s):
        if inline:
            return f'<c r="{ref}" t="inlineStr"><is><t>{escape(s)}</t></is></c>'
        if s not in index:
            index[s] = len(strings)
            strings.append(s)
        return f'<c r="{ref}" t="s"><v>{index[s]}</v></c>'

    def number(ref, style, value):
        return f'<c r="{ref}" s="{style}"><v>{value:.{digits}g}</v></c>'

    rows = ['<row r="1" spans="1:4">' + "".join(text("ABCD"[i] + "1", h) for i, h in enumerate(HEAD)) + "</row>"]
    for n, (order, cents, at) in enumerate(sales(name)):
        r = n + 2
        rows.append(
            f'<row r="{r}" spans="1:4">' + number(f"A{r}", 0, SERIAL) + text(f"B{r}", order)
            + number(f"C{r}", 1, stored(n, cents)) + number(f"D{r}", 2, days(at, epoch)) + "</row>"
        )
    custom = '<numFmts count="1"><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm:ss"/></numFmts>' if date_format == 164 else ""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{TYPE}worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{TYPE}styles+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{TYPE}sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}relationships">'
        f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">'
        f'<workbookPr{" date1904=" + chr(34) + "1" + chr(34) if since_1904 else ""}/>'
        '<sheets><sheet name="Ventas" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}relationships">'
        f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{RELATIONS}/styles" Target="styles.xml"/>'
        f'<Relationship Id="rId3" Type="{RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{custom}<fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3">'
        '<xf numFmtId="0" xfId="0"/><xf numFmtId="44" applyNumberFormat="1" xfId="0"/>'
        f'<xf numFmtId="{date_format}" applyNumberFormat="1" xfId="0"/></cellXfs></styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}" count="{len(strings)}" uniqueCount="{len(strings)}">'
        + "".join(f"<si><t>{escape(s)}</t></si>" for s in strings) + "</sst>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><dimension ref="A1:D{ROWS + 1}"/>'
        f'<sheetData>{"".join(rows)}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(HERE / (name + ".xlsx"), "w", zipfile.ZIP_DEFLATED) as z:
        for part, body in parts.items():
            z.writestr(zipfile.ZipInfo(part, (2026, 11, 20, 0, 0, 0)), '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + body,
                       zipfile.ZIP_DEFLATED, 9)


libreoffice("libreoffice")
with_openpyxl("openpyxl")
documented("excel", digits=17)
documented("excel-1904", digits=17, since_1904=True, date_format=164)
documented("google-sheets", digits=15, date_format=164)
documented("inline-strings", digits=17, inline=True, date_format=164)
print("openpyxl", openpyxl.__version__, "· Python", sys.version.split()[0])
