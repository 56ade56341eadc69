import type { Unstructured } from '@lateen/api-types';
import type { DiscoveredType } from '@lateen/kube';
import type { ItemTarget } from './item-target.ts';

/** The states of an object between archive and cluster. */
export interface WayOfObject {
  /** The object as it is stored in the backup. */
  original: Unstructured;
  /** The object after the reset of metadata and the actions. */
  acted: Unstructured;
  /** The object as it is created: after modifiers, with its namespace, name and labels. */
  wanted: Unstructured;
}

/** An object that is ready to be created. */
export interface ReadyObject extends WayOfObject {
  type: DiscoveredType;
  target: ItemTarget;
  /** Annotations that are added only when this restore creates the object. */
  marks?: Record<string, string>;
  /** The field manager of the creation; absent: our own. */
  fieldManager?: string;
}
