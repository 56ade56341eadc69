import type { TicketType, Volume, VolumeSpec } from '@lateen/storage-types';
import type { AttachmentSeen } from '../attachment/attachment-seen.ts';
import { backupContent } from './backup-content.ts';
import { cloneContent } from './clone-content.ts';
import type { ContentKind, ContentState } from './content-kind.ts';

/** What a volume can begin with besides zeros. The first one that it asks for counts. */
export const contentKinds: readonly ContentKind[] = [backupContent, cloneContent];

/** Tickets of these types have a volume attached while its content is brought; the manager alone makes them. */
export const contentTickets: readonly TicketType[] = contentKinds.map(({ ticket }) => ticket);

export const contentKindOf = (spec: VolumeSpec): ContentKind | undefined =>
  contentKinds.find((kind) => kind.isAsked(spec));

/** How the volume gets its first content and how far that is; undefined for one that begins with zeros. */
export function contentOf(volume: Volume): { readonly kind: ContentKind; readonly state: ContentState } | undefined {
  const kind = contentKindOf(volume.spec);
  return kind && { kind, state: kind.stateOf(volume) };
}

/** The kind of what is still missing in the volume. Until it is there nobody may use it: it would pass for an empty one. */
export function pendingContent(volume: Volume): ContentKind | undefined {
  const content = contentOf(volume);
  return content === undefined || content.state === 'there' ? undefined : content.kind;
}

/** What an attachment is decided by while the content is still to come; undefined when it is there. */
export function attachedOnlyFor(volume: Volume): AttachmentSeen['onlyFor'] {
  const kind = pendingContent(volume);
  return kind && { types: [kind.ticket, 'volume-expansion-controller'], because: kind.because(volume) };
}
