import type { KubeObject, ResourceType } from '@lateen/api-types';

/** A kind as a person names it. What every noun can do (find, parse a name, refuse a selection) takes one of these. */
export interface Noun<T extends KubeObject> {
  readonly type: ResourceType<T>;
  /** As commands name it: `backup-location`; its plural adds an s. */
  readonly word: string;
  /** Code of the error for one that is not there. */
  readonly notFoundCode: string;
}

export const pluralOf = ({ word }: Pick<Noun<KubeObject>, 'word'>): string => `${word}s`;
