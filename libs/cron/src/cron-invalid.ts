import { AppError } from '@lateen/errors';

/** A text that is no schedule; the message is what robfig/cron says of it, which users of Velero know. */
export const cronInvalid = (message: string): AppError => new AppError('CRON_INVALID', message);
