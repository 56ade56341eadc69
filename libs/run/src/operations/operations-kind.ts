import type { BackupStorageLocation } from '@lateen/api-types';
import type { BackupOperation, OperationStatus, RestoreOperation, Results } from '@lateen/backup-store';
import type { OperationProgress } from '@lateen/item-actions';
import type { Clock, Logger } from '@lateen/kernel';
import type { RunWrites, WritePorts } from '../api/run-writes.ts';
import type { StatusOf, StatusPatch } from '../run-kind.ts';
import type { RunObject } from '../run-object.ts';

/** Work that an action started and did not wait for. */
export type RunOperation = BackupOperation | RestoreOperation;

/** The methods of an action that following needs; C is their context. */
export interface OperationAction<C> {
  readonly name: string;
  progress?(operationId: string, context: C, signal: AbortSignal): Promise<OperationProgress>;
  cancel?(operationId: string, context: C, signal: AbortSignal): Promise<void>;
  operationTimeoutMs?(context: C): number;
  watchOperations?(
    context: C,
    onChange: (operationId: string, progress: OperationProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

interface StoreOptions {
  signal?: AbortSignal | undefined;
}

/** The files of one location that store operations; a BackupStore or RestoreStore has them. */
export interface OperationFiles<O extends RunOperation> {
  getItemOperations(name: string, options?: StoreOptions): Promise<readonly O[]>;
  putItemOperations(name: string, operations: readonly O[], options?: StoreOptions): Promise<void>;
  getResults(name: string, options?: StoreOptions): Promise<Results>;
  putResults(name: string, results: Results, options?: StoreOptions): Promise<void>;
}

/** How the operations of a kind of run are followed. */
export interface OperationsKind<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>> {
  readonly writes: RunWrites<R>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The actions that may start operations. */
  readonly actions: readonly OperationAction<C>[];
  actionOf(operation: O): string;
  contextOf(run: R): C;
  /** The location to write to; or why there is none any more. */
  locationOf(run: R, signal: AbortSignal): Promise<LocationForOperations>;
  inStore<T>(location: BackupStorageLocation, use: (files: F) => Promise<T>, signal: AbortSignal): Promise<T>;
  countsOf(status: StatusOf<R> | undefined): OperationCounts;
  statusOf(counts: OperationCounts): StatusPatch<R>;
  /** Stores further files of a run when its status changes in this way. */
  storeStatus?(files: F, latest: R, status: StatusOf<R>, signal: AbortSignal): Promise<void>;
}

export type LocationForOperations = { usable: BackupStorageLocation } | { gone: string };

/** How many operations have ended, with success or failure. */
export interface OperationCounts {
  completed: number;
  failed: number;
}

export type OperationsPorts<R extends RunObject> = WritePorts<R>;

export const isOpenOperation = (phase: OperationStatus['phase']): boolean => phase === 'New' || phase === 'InProgress';

export const countOf = (operations: readonly RunOperation[], phase: OperationStatus['phase']): number =>
  operations.filter(({ status }) => status.phase === phase).length;
