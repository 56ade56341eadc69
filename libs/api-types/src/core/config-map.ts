import type { KubeObject } from '../meta/kube-object.ts';
import type { Base64 } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, Base64>;
  immutable?: boolean;
}

export const configMapType = coreType<ConfigMap>('v1', 'ConfigMap', 'configmaps');
