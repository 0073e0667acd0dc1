/** The error of an operator who has to call a command in another way. */
import { OperatorError } from '../db/operator-error'

/** Wrong usage of a command, or invalid settings. */
export class UsageError extends OperatorError {}
