import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: 'Active' | 'Terminating'; [field: string]: unknown };
}

export const namespaceType = coreType<Namespace>('v1', 'Namespace', 'namespaces', false);
