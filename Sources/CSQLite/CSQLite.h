#include <sqlite3.h>

// Makes the next VACUUM empty a file, even one that is damaged. Swift can't call the variadic function itself.
static inline int recordkit_sqlite3_set_reset(sqlite3 *connection, int isOn) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_RESET_DATABASE, isOn, (int *)0);
}
