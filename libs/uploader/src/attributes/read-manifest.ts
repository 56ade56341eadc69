import {
  type AttributeRecord,
  invalidManifest,
  type ManifestEnd,
  manifestLineLengthMax,
  parseManifestLine,
} from './attribute-record.ts';
import { ByteSplitter } from './byte-splitter.ts';

/** The sections of a manifest in their order; records of one section are in the order in which they were found. */
const sections: Readonly<Record<AttributeRecord['type'], number>> = {
  symlink: 0,
  fifo: 0,
  'character-device': 0,
  'block-device': 0,
  file: 0,
  xattr: 1,
  name: 2,
  directory: 3,
};

/**
 * Passes on the records of a manifest one by one, each after the last was processed. Resolves with the last line of the manifest.
 * @throws ATTRIBUTES_INVALID when it differs in any way from what we write; ATTRIBUTES_VERSION when it is newer
 */
export async function readManifest(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onRecord: (record: AttributeRecord) => Promise<void> | void,
): Promise<ManifestEnd> {
  const splitter = new ByteSplitter('\n', manifestLineLengthMax, () => invalidManifest('a line is too long'));
  const order = new ManifestOrder();
  for await (const piece of bytes) {
    for (const line of splitter.push(piece)) {
      const record = order.take(line);
      const pending = record === undefined ? undefined : onRecord(record);
      if (pending !== undefined) await pending;
    }
  }
  if (splitter.rest() !== '') throw invalidManifest('it ends in the middle of a line');
  return order.end();
}

/** Checks the order: header, records by section, end. */
class ManifestOrder {
  #started = false;
  #section = 0;
  #records = 0;
  #end: ManifestEnd | undefined;

  take(line: string): AttributeRecord | undefined {
    // The splitter returns bytes; the manifest is UTF-8.
    const parsed = parseManifestLine(Buffer.from(line, 'latin1').toString('utf8'));
    if (this.#end !== undefined) throw invalidManifest('it continues after its end');
    if ((parsed.kind === 'header') === this.#started) throw invalidManifest('its header is not its first line');
    this.#started = true;
    if (parsed.kind === 'end') this.#end = parsed.end;
    if (parsed.kind !== 'record') return undefined;
    const section = sections[parsed.record.type];
    if (section < this.#section) throw invalidManifest('its records are out of order');
    this.#section = section;
    this.#records++;
    return parsed.record;
  }

  end(): ManifestEnd {
    if (this.#end === undefined) throw invalidManifest('its end is missing');
    if (this.#end.records !== this.#records)
      throw invalidManifest(`it holds ${this.#records} records and says ${this.#end.records}`);
    return this.#end;
  }
}
