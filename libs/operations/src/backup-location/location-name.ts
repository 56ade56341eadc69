import { parseObjectName } from '../noun/object-name.ts';
import { locationNoun } from './find-locations.ts';

/** Parses the name of a location. @throws AppError BAD_ARGUMENT for a name that no object can have */
export const parseLocationName = (text: string): string => parseObjectName(locationNoun, text);
