import type { KubeObject } from '../meta/kube-object.ts';
import type { Base64 } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';

/** Never log one. */
export interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, Base64>;
  /** Write only: the API turns it into `data`. */
  stringData?: Record<string, string>;
  immutable?: boolean;
}

export const secretType = coreType<Secret>('v1', 'Secret', 'secrets');
