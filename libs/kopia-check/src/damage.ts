import type { ContentLocation } from '@lateen/kopia-format';

/** One finding: a damaged content, or a pack of which much or all is lost. */
export interface Damage {
  /** Without who needs it. */
  text: string;
  contentIds: string[];
}

/** Findings, bounded: a bucket that lost its packs may have millions. */
export const damagesMax = 10_000;

/** Contents of a pack that cannot be read, as one finding. */
export const lostIn = (packId: string, contents: readonly ContentLocation[], how: string): Damage => ({
  text: `pack ${packId} ${how}: ${contents.length === 1 ? 'one content of it is' : `${contents.length} contents of it are`} lost`,
  contentIds: contents.map(({ contentId }) => contentId),
});

export class Damages {
  readonly listed: Damage[] = [];
  #count = 0;

  add(damage: Damage): void {
    this.#count += 1;
    if (this.listed.length < damagesMax) this.listed.push(damage);
  }

  get count(): number {
    return this.#count;
  }
}
