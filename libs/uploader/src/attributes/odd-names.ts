import { AppError } from '@lateen/errors';
import type { ByteText, NameRecord } from './attribute-record.ts';
import { holdsReplacement, isText, kopiaName, shownName } from './kopia-name.ts';
import { type ScanOptions, type Sorting, sorted } from './scan-programs.ts';

/** Linux: the longest name, in bytes. */
const nameLengthMax = 255;

/** Names that an error lists; the rest is counted. */
const namesToldMax = 5;

/**
 * Sorts the entries whose names kopia changes into the order in which a restore renames them: the entries of a folder before the
 * folder. The sort key is kopia's form of the name, so that names which become equal are adjacent; memory stays constant. `sort`
 * runs only when there is such a name.
 */
export class OddNames {
  readonly #options: ScanOptions;
  readonly #check = new NameCheck();
  #sorting: Sorting | undefined;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** Takes any entry. Waits while the buffer is full. */
  take(path: ByteText): Promise<void> | undefined {
    const name = nameOf(path);
    if (isText(name) && !holdsReplacement(name)) return undefined;
    this.#sorting ??= sorted(this.#options, (item) => {
      const record = this.#check.take(item);
      return record === undefined ? undefined : this.#options.onRecord(record);
    });
    return this.#sorting.input.write(Buffer.from(`${nameItem(path)}\0`, 'latin1'));
  }

  /** Call after the last entry. @throws UPLOADER_NAME_NOT_KEPT */
  async finish(): Promise<void> {
    this.#sorting?.input.end();
    await this.#sorting?.done;
    this.#check.end(this.#options.volumePath);
  }

  async fail(cause: unknown): Promise<void> {
    this.#sorting?.input.fail(cause);
    await this.#sorting?.done.catch(() => {});
  }
}

/**
 * The separator is safe, as a path holds no "//". The four digits are smaller for deeper paths: no Linux path has more than 2048
 * names.
 */
const nameItem = (path: ByteText): string => `${9999 - (path.split('/').length - 1)}${kopiaName(path)}//${path}`;

/** Finds names that would be lost, in sorted items. */
export class NameCheck {
  #last: { kept: ByteText; path: ByteText } | undefined;
  #count = 0;
  readonly #told: string[] = [];

  /** The record for the name, if kopia changes it. */
  take(item: string): NameRecord | undefined {
    const border = item.indexOf('//');
    const [kept, path] = [item.slice(4, border), item.slice(border + 2)];
    if (this.#last?.kept === kept) this.#lost(`${shownName(this.#last.path)} and ${shownName(path)} become the same`);
    else if (nameOf(kept).length > nameLengthMax)
      this.#lost(`${shownName(path)} becomes longer than ${nameLengthMax} bytes`);
    this.#last = { kept, path };
    return isText(nameOf(path)) ? undefined : { type: 'name', path };
  }

  /** @throws UPLOADER_NAME_NOT_KEPT when a name would be lost */
  end(volumePath: string): void {
    if (this.#count === 0) return;
    const more = this.#count > this.#told.length ? `; and ${this.#count - this.#told.length} more` : '';
    throw new AppError(
      'UPLOADER_NAME_NOT_KEPT',
      `uploading ${volumePath}: kopia keeps names as UTF-8, and files would be lost by that: ${this.#told.join('; ')}${more}`,
      { nextStep: 'Rename them, or back this volume up with UploaderType restic, which keeps names byte by byte.' },
    );
  }

  #lost(text: string): void {
    this.#count++;
    if (this.#told.length < namesToldMax) this.#told.push(text);
  }
}

const nameOf = (path: ByteText): ByteText => path.slice(path.lastIndexOf('/') + 1);
