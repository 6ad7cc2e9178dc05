namespace orrery {}
