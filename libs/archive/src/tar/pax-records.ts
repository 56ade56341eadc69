/** The records of an extended header: `<length> <key>=<value>\n`, where the length counts its own digits. */
export function paxRecords(records: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value)));
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** What an extended header says. @returns undefined when it is damaged */
export function parsePaxRecords(body: Buffer): Map<string, string> | undefined {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(' ', at);
    const digits = body.toString('latin1', at, Math.max(space, at));
    if (space < 0 || !/^[1-9]\d{0,8}$/.test(digits)) return undefined;
    const end = at + Number(digits);
    const equals = body.indexOf('=', space);
    if (end > body.length || equals < 0 || equals >= end || body[end - 1] !== 0x0a) return undefined;
    records.set(body.toString('utf8', space + 1, equals), body.toString('utf8', equals + 1, end - 1));
    at = end;
  }
  return records;
}
