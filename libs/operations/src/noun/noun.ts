import type { KubeObject, ResourceType } from '@lateen/api-types';

/** A kind as users name it. The functions for every noun (find, parse a name, refuse a selection) take one of these. */
export interface Noun<T extends KubeObject> {
  readonly type: ResourceType<T>;
  /** The word in commands: `backup-location`; its plural adds an s. */
  readonly word: string;
  /** The error code for an object that does not exist. */
  readonly notFoundCode: string;
}

export const pluralOf = ({ word }: Pick<Noun<KubeObject>, 'word'>): string => `${word}s`;
