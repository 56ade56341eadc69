import { parentPort } from 'node:worker_threads';
import { AppError } from '@lateen/errors';

const error: AppError = new AppError('CAME_HERE', 'with a module of the workspace');
parentPort?.postMessage(error.code);
