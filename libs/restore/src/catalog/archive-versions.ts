import type { ItemPlace, ParsedItemPath } from '@lateen/archive';
import { ItemIndex } from './item-index.ts';

/** The versions of resources in an archive, and the bodies of objects in versions that their cluster did not prefer. */
export class ArchiveVersions {
  readonly #preferred = new Map<string, string>();
  readonly #others = new Map<string, Map<string, ItemIndex>>();

  /** Adds an object whose path has no version: it is in the version that its cluster preferred. */
  addPreferred(groupResource: string, version: string): void {
    if (!this.#preferred.has(groupResource)) this.#preferred.set(groupResource, version);
  }

  /** @param id the id of its body */
  add(place: ParsedItemPath & { version: string }, id: number): void {
    const { groupResource, version, preferred } = place;
    if (preferred === true) this.addPreferred(groupResource, version);
    else {
      const versions = this.#others.get(groupResource) ?? new Map<string, ItemIndex>();
      const index = versions.get(version) ?? new ItemIndex();
      index.set(place, id);
      this.#others.set(groupResource, versions.set(version, index));
    }
  }

  /** The versions of a resource, the preferred one first. */
  of(groupResource: string): string[] {
    const preferred = this.#preferred.get(groupResource);
    const others = [...(this.#others.get(groupResource)?.keys() ?? [])];
    return preferred === undefined ? others : [preferred, ...others.filter((version) => version !== preferred)];
  }

  find(place: ItemPlace, version: string): number | undefined {
    return this.#others.get(place.groupResource)?.get(version)?.get(place);
  }
}
