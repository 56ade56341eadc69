import type { PrinterColumn } from '@lateen/api-types/definitions';

/** A column of text, as most are. */
export const text = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'string', jsonPath });

export const yesOrNo = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'boolean', jsonPath });

export const count = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'integer', jsonPath });

export const since = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'date', jsonPath });

/** The status of one of the object's conditions. */
export const condition = (name: string, type: string): PrinterColumn =>
  text(name, `.status.conditions[?(@.type=='${type}')].status`);

export const age = since('Age', '.metadata.creationTimestamp');
export const dataEngine = text('Data Engine', '.spec.dataEngine');
export const currentState = text('State', '.status.currentState');
export const node = text('Node', '.spec.nodeID');
export const image = text('Image', '.spec.image');
export const currentImage = text('Image', '.status.currentImage');
export const instanceManager = text('InstanceManager', '.status.instanceManagerName');
export const state = text('State', '.status.state');
export const size = text('Size', '.status.size');
export const lastSynced = text('LastSyncedAt', '.status.lastSyncedAt');
