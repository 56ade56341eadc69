import { type AttributeRecord, endLine, headerLine, type ManifestEnd, recordLine } from './attribute-record.ts';
import { ChunkedInput } from './chunked-input.ts';
import { inlinePlainLengthMax, packInline } from './inline-manifest.ts';

/** Lines are gathered up to this length: a call of the compressor for each would cost more than the compression. */
const batchLength = 64 * 1024;

/** Their values say who may do what; every other attribute's is whatever a program has put there. */
const knownAttributes: readonly string[] = [
  'security.capability',
  'system.posix_acl_access',
  'system.posix_acl_default',
];

/** A tag is an argument of kopia, and Velero writes all tags of a snapshot into its log: no place for a user's values. */
const mayBePrivate = (record: AttributeRecord): boolean =>
  record.type === 'xattr' && !knownAttributes.includes(record.name);

/**
 * The lines of a manifest while it is written: held as long as it may still fit into a tag, then streamed, beginning with
 * what was held. Whoever writes waits for the reader of `input` only when that is being streamed.
 */
export class ManifestLines {
  /** What is streamed. */
  readonly input = new ChunkedInput();
  /** Resolves when there is more than a tag may hold, or what it may not hold. */
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

  /** The whole as the value of a tag; undefined when it is not at its end, or too long. */
  inline(): string | undefined {
    return this.#isEnded && !this.#isStreaming ? packInline(this.#batch) : undefined;
  }

  /** From now on, if it has not begun, what comes is streamed, after what was held. */
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
