import { type AttributeRecord, endLine, headerLine, type ManifestEnd, recordLine } from './attribute-record.ts';
import { ChunkedInput } from './chunked-input.ts';
import { inlinePlainLengthMax, packInline } from './inline-manifest.ts';

/** Lines are gathered up to this length: a call of the compressor for each line would cost more than the compression. */
const batchLength = 64 * 1024;

/** Attributes whose values are access rights; the value of any other attribute is whatever a program has stored there. */
const knownAttributes: readonly string[] = [
  'security.capability',
  'system.posix_acl_access',
  'system.posix_acl_default',
];

/** A tag is an argument of kopia, and Velero logs all tags of a snapshot, so users' values must not go into a tag. */
const mayBePrivate = (record: AttributeRecord): boolean =>
  record.type === 'xattr' && !knownAttributes.includes(record.name);

/**
 * The lines of a manifest while it is written: buffered as long as it may still fit into a tag, then streamed, starting with the
 * buffered lines. The writer waits for the reader of `input` only while lines are streamed.
 */
export class ManifestLines {
  /** The streamed lines. */
  readonly input = new ChunkedInput();
  /** Resolves when the manifest is too long for a tag, or holds values that a tag must not hold. */
  readonly outgrown: Promise<void>;
  #outgrow: () => void = () => {};
  #batch = headerLine;
  #isStreaming = false;
  #isEnded = false;

  constructor() {
    this.outgrown = new Promise((resolve) => {
      this.#outgrow = resolve;
    });
  }

  take(record: AttributeRecord): Promise<void> | void {
    this.#batch += recordLine(record);
    if (!this.#isStreaming && (this.#batch.length > inlinePlainLengthMax || mayBePrivate(record))) {
      this.#isStreaming = true;
      this.#outgrow();
    }
    if (this.#isStreaming && this.#batch.length >= batchLength) return this.#flush();
  }

  async end(end: ManifestEnd): Promise<void> {
    this.#batch += endLine(end);
    this.#isEnded = true;
    if (this.#isStreaming) await this.#finish();
  }

  /** The reader of `input` gets the cause. */
  fail(cause: unknown): void {
    this.input.fail(cause);
  }

  /** The whole manifest as the value of a tag; undefined when it is not complete, or too long. */
  inline(): string | undefined {
    return this.#isEnded && !this.#isStreaming ? packInline(this.#batch) : undefined;
  }

  /** Starts to stream, if this has not begun: first the buffered lines, then every further one. */
  async stream(): Promise<void> {
    const isFirst = !this.#isStreaming;
    this.#isStreaming = true;
    if (isFirst && this.#isEnded) await this.#finish();
  }

  async #finish(): Promise<void> {
    await this.#flush();
    this.input.end();
  }

  #flush(): Promise<void> {
    const full = Buffer.from(this.#batch);
    this.#batch = '';
    return this.input.write(full);
  }
}
