import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string; [field: string]: unknown }[];
    providerID?: string;
    podCIDR?: string;
    [field: string]: unknown;
  };
  status?: {
    conditions?: { type: string; status: string; reason?: string; message?: string; [field: string]: unknown }[];
    addresses?: { type: string; address: string }[];
    allocatable?: Record<string, string>;
    capacity?: Record<string, string>;
    nodeInfo?: { operatingSystem?: string; architecture?: string; kubeletVersion?: string; [field: string]: unknown };
    [field: string]: unknown;
  };
}

export const nodeType = coreType<Node>('v1', 'Node', 'nodes', false);
