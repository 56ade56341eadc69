import type { Unstructured } from '@lateen/api-types';
import type { DiscoveredType } from '@lateen/kube';
import type { ItemTarget } from './item-target.ts';

/** The states of an object on its way. */
export interface WayOfObject {
  /** As it is stored in the backup. */
  original: Unstructured;
  /** As the reset of metadata and the actions left it. */
  acted: Unstructured;
  /** As it is created: after modifiers, with place and labels. */
  wanted: Unstructured;
}

/** An object that is ready to be created. */
export interface ReadyObject extends WayOfObject {
  type: DiscoveredType;
  target: ItemTarget;
  /** Annotations that it has only when this restore creates it. */
  marks?: Record<string, string>;
  /** The field manager to create it as; absent: our own. */
  fieldManager?: string;
}
